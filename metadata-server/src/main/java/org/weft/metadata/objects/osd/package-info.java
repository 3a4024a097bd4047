/**
 * How OSDs are asked for metadata, and given it. {@link
 * org.weft.metadata.objects.osd.OsdClientPort} sends calls to them. {@link
 * org.weft.metadata.objects.osd.UnsentCopies} keeps in memory what a volume that is only checked
 * would send (P 6.8d). Uses {@code objects} alone. Confined to the volume's thread.
 */
package org.weft.metadata.objects.osd;
