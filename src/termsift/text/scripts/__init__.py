"""Words of every script: what characters do in words, and where words are."""
