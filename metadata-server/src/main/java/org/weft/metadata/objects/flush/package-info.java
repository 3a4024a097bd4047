/**
 * Brings changes of metadata to the OSDs, round after round, and writes copies that are out of date
 * (P 6.3). A round leaves once its records are on the journal's disk; the journal may drop them
 * once checkpoints of the OSDs cover the round. {@link
 * org.weft.metadata.objects.flush.RoundFlusher} does it for {@code metadata.serving}, which is its
 * {@link org.weft.metadata.objects.flush.FlushOwner}. Uses {@code objects} and {@code cache}.
 * Confined to the volume's thread.
 */
package org.weft.metadata.objects.flush;
