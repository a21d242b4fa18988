{
  "schema": "anonscope/seal/1",
  "algorithm": "Ed25519",
  "by": "An invented data protection officer",
  "sealed": "2026-11-18T12:31:24+00:00",
  "public_key": "1c677753da3fd7e415ba934dd0537f8960c95d8c8076d7988f41ae75f696acb2",
  "files": {
    "dossier-publishable.html": "e0b7507686bdc183ca224434cdaf6fba97fbef281dff0aa1784137817136e009",
    "release.csv": "349ed6b8fdc7a24bf3ad15643c584e9ef5b578eb40d7ec99ee11ac40927279b5",
    "release.csv.manifest.json": "568993a613ebe01ee24a2c3775636f30371e732d175c7f7eb68a292940325eaf"
  },
  "signature": "20391f9b14551f105d8debd1969a21fa95119c3c323b8d1f9ca0c78d8d4618e3702273988d5fb9f53413d8f76e3e1c83b68ec238993eaa975f5d9a6d73b18b0f"
}
