/**
 * One request from arrival to answer: it is executed by the volume's machine, waits for what must
 * be loaded, and is answered once the journal has all that the answer rests on, while the lease
 * holds (P 6.1, 6.2). {@link org.weft.metadata.serving.request.VolumeService} does it, {@link
 * org.weft.metadata.serving.request.ReplyGate} holds answers back until they are durable. The
 * manager's own operations go the same way. Uses none of the packages beside it. On the volume's
 * thread, but for what says otherwise.
 */
package org.weft.metadata.serving.request;
