{
  "schema": "anonscope/seal/1",
  "algorithm": "Ed25519",
  "by": "An invented data protection officer",
  "sealed": "2026-11-18T12:31:34+00:00",
  "public_key": "1c677753da3fd7e415ba934dd0537f8960c95d8c8076d7988f41ae75f696acb2",
  "files": {
    "dossier-publishable.pdf": "05b1d364459a53f5cf16d4a87f8d6f5366fa3e6e77fdbc1f03116ce52d35dbce",
    "release.csv": "349ed6b8fdc7a24bf3ad15643c584e9ef5b578eb40d7ec99ee11ac40927279b5",
    "release.csv.manifest.json": "568993a613ebe01ee24a2c3775636f30371e732d175c7f7eb68a292940325eaf"
  },
  "signature": "0bbd3f2ea33b752424368647fd19504af322d1600934fc84b9737f11211812a7ff51d95c65a6ae7b0f65daf2eee65c6d3d71bf07888104a4bc096b69c9e0020e"
}
