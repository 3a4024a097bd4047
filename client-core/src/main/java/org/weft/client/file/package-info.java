/**
 * Open files below the API. Classes here carry the bytes of one, its write grant with the manager,
 * and the order of calls on it. They also lend a grant while the file is idle (P 6.5). Names no
 * type of {@code org.weft.client}, which makes its own of it.
 */
package org.weft.client.file;
