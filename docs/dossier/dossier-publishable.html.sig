{
  "schema": "anonscope/seal/1",
  "algorithm": "Ed25519",
  "by": "An invented data protection officer",
  "sealed": "2026-11-18T08:29:24+00:00",
  "public_key": "3a3044cb11105c6938b86768f812b44d888eb864f562bbc349d0815c3acf61e3",
  "files": {
    "dossier-publishable.html": "bfe442727c6316b9957fe5fee45e9fa5b45f4ab7cfdee51f9b9be58f7aeb28db",
    "release.csv": "349ed6b8fdc7a24bf3ad15643c584e9ef5b578eb40d7ec99ee11ac40927279b5",
    "release.csv.manifest.json": "e405b8749e12bbb91e545f1c31621b965810a1a0cd37c4b3eb33b74a1d5fe012"
  },
  "signature": "bb1a589ddc429ee24ddc05a5c5227117ce8128308838dbe29680c2bf712b9cd403c2a519e49d9cca05d7668a5908c50be7b44b385cde6f7541a806208a94190e"
}
