/**
 * Reads attributes and directory blocks from OSDs, from the copy that counts (P 6.3, 6.7). {@link
 * org.weft.metadata.objects.load.OsdObjectLoader} does it for {@code metadata.serving}. Uses {@code
 * objects} alone, and knows nothing of the cache. Confined to the volume's thread.
 */
package org.weft.metadata.objects.load;
