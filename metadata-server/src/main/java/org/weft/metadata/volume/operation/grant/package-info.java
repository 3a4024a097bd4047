/**
 * Operations that open and close files, and all else that begins, moves, resolves or ends write
 * grants (P 5.5, 5.8, 6.5). Clients ask for them, and the manager itself when a writer is gone.
 * Operations of {@code name} and {@code number} use them to open new files.
 */
package org.weft.metadata.volume.operation.grant;
