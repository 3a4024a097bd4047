/**
 * How long files are that are being written (P 4.3, 6.5). Some lengths were published by writers,
 * and no record holds them. Others a writer keeps until it is asked. {@code state} holds them,
 * {@code execution} tells them, and {@code metadata.serving} asks writers for those that are kept.
 * Uses none of the packages beside it. Confined to the volume's thread.
 */
package org.weft.metadata.volume.length;
