"""What a synthesis does beside making the table: keep people aside, and attack with them."""
