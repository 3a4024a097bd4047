/**
 * A directory as an object of hashed 4 KiB blocks (P 6.7): pure code over blocks that somebody else
 * loads and writes. No threads, no IO, no randomness; the same records make the same blocks.
 */
package org.weft.metadata.directory;
