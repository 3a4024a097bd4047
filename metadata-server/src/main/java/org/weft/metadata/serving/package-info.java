/**
 * The thread and the IO around a volume's machine: requests in, loads, the journal, replies out
 * once they are durable (P 6.1), flushing behind (P 6.3). {@link
 * org.weft.metadata.serving.VolumeService} owns the volume's thread; other threads hand it messages
 * and take no locks on its state.
 */
package org.weft.metadata.serving;
