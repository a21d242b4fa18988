"""What tests share: generated tables, servers, browsers."""
