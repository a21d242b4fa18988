{
  "schema": "anonscope/seal/1",
  "algorithm": "Ed25519",
  "by": "An invented data protection officer",
  "sealed": "2026-11-18T08:32:56+00:00",
  "public_key": "3a3044cb11105c6938b86768f812b44d888eb864f562bbc349d0815c3acf61e3",
  "files": {
    "dossier-publishable.pdf": "6daedde3b95256910ea16f7978cec08134b5424ea6dd5830c0865158976a957d",
    "release.csv": "349ed6b8fdc7a24bf3ad15643c584e9ef5b578eb40d7ec99ee11ac40927279b5",
    "release.csv.manifest.json": "e405b8749e12bbb91e545f1c31621b965810a1a0cd37c4b3eb33b74a1d5fe012"
  },
  "signature": "c828dbcdb93149c90ef274c0e5b3582d9fb7027c4ea8ac1dbcf7881db0462b4556ec94a0a6032f5bdc72abc47155bbcaa58aa44521745fcc4bd8691ae74c230a"
}
