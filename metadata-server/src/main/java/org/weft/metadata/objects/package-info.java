/**
 * Metadata of a volume that lies in objects on OSDs (P 6.1, 6.3). This package has the interfaces
 * between the packages below. {@code cache} holds attributes and directory blocks in memory, and
 * {@code load} reads from OSDs what it lacks. {@code flush} brings its changes to the OSDs, and
 * {@code osd} carries the calls. An {@link org.weft.metadata.objects.Loadable} says what the cache
 * lacks, an {@link org.weft.metadata.objects.OsdPort} is how OSDs are asked. Uses none of the
 * packages below.
 */
package org.weft.metadata.objects;
