{
  "schema": "anonscope/seal/1",
  "algorithm": "Ed25519",
  "by": "An invented data protection officer",
  "sealed": "2026-11-18T01:08:02+00:00",
  "public_key": "90a7344e4aa35932858baca71210d62d1094c8b7fd7413003febe00dcf931f58",
  "files": {
    "dossier-publishable.pdf": "6dcccc64543b99f79c8b80e736a6925878de7c71589b7488ca57c389c6ed23e2",
    "release.csv": "349ed6b8fdc7a24bf3ad15643c584e9ef5b578eb40d7ec99ee11ac40927279b5",
    "release.csv.manifest.json": "fe50da7c68b5329a864a95cceeeef6b588aa12f141aa02eee051529cf59249f5"
  },
  "signature": "0dd15eb41d83257ff0fb77f3eaef257899da8f090dabc4711706b26a719eb46e896f65c66a8d698db7f90e93c0f51aa9af76dd39a361b6f6e2cc7311ed3db808"
}
