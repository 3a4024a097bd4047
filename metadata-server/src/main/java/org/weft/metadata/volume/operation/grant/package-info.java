/**
 * Operations that open and close files, and all else that begins, moves, resolves or ends write
 * grants (P 5.5, 5.8, 6.5). Clients ask for them, and the manager itself when a writer is gone.
 * Those of {@code name} and {@code number} open what they have made with them.
 */
package org.weft.metadata.volume.operation.grant;
