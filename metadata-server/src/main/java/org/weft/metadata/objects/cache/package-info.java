/**
 * Attributes and directory blocks of a volume in memory (P 6.1, 6.3). It also knows which copies of
 * them on OSDs are out of date, and what is to be flushed. {@link
 * org.weft.metadata.objects.cache.MetadataCache} is the whole of it, {@link
 * org.weft.metadata.objects.cache.TailReplay} lays a journal's tail over it. Pure: no IO, no clock.
 * Confined to the thread of the volume's machine. Uses {@code objects} alone.
 */
package org.weft.metadata.objects.cache;
