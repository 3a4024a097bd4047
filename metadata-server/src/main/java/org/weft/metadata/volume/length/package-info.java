/**
 * How long files are that are being written: lengths that writers have published and no record
 * holds, and those that a writer keeps until it is asked (P 4.3, 6.5). {@code state} holds them,
 * {@code execution} tells them, and {@code metadata.serving} asks writers for those that are kept.
 * Uses none of the packages beside it. Confined to the volume's thread.
 */
package org.weft.metadata.volume.length;
