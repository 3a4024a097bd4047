/**
 * Metadata that lies in objects on OSDs, as a volume's state machine sees it (P 6.1, 6.3). {@link
 * org.weft.metadata.objects.MetadataCache} and what it is made of are pure and belong to the
 * machine's thread; {@link org.weft.metadata.objects.ObjectLoader} and {@link
 * org.weft.metadata.objects.Flusher} are the services that read and write OSDs for it.
 */
package org.weft.metadata.objects;
