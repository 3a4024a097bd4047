/**
 * One request from arrival to answer (P 6.1, 6.2). The volume's machine executes it, and it waits
 * for what must be loaded. It is answered once the journal has all that the answer rests on, while
 * the lease holds. {@link org.weft.metadata.serving.request.VolumeService} does it, {@link
 * org.weft.metadata.serving.request.ReplyGate} holds answers back until they are durable. The
 * manager's own operations go the same way. Uses none of the packages beside it. On the volume's
 * thread, but for what says otherwise.
 */
package org.weft.metadata.serving.request;
