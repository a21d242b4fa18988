{
  "schema": "anonscope/seal/1",
  "algorithm": "Ed25519",
  "by": "An invented data protection officer",
  "sealed": "2026-11-18T01:06:11+00:00",
  "public_key": "90a7344e4aa35932858baca71210d62d1094c8b7fd7413003febe00dcf931f58",
  "files": {
    "dossier-publishable.html": "b0ea4ef1402c1b49b0d0e909201a5cf76ed0f381e16934aede214da7f49db7da",
    "release.csv": "349ed6b8fdc7a24bf3ad15643c584e9ef5b578eb40d7ec99ee11ac40927279b5",
    "release.csv.manifest.json": "fe50da7c68b5329a864a95cceeeef6b588aa12f141aa02eee051529cf59249f5"
  },
  "signature": "553f19861b278c6ef2966dcc3c0eb68cc3d6ba999dd8a64a55c5de17e3e89ce85321abfaedf86a52c915f589c989e55ba50955939c83b747e52ca0562087be09"
}
