/**
 * A directory as an object of hashed 4 KiB blocks (P 6.7): pure code over blocks that other classes
 * load and write. No threads, no IO, no randomness; the same records make the same blocks.
 */
package org.weft.metadata.directory;
