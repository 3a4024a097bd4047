/**
 * Open files below the API: what carries the bytes of one, its write grant with the manager, the
 * order of calls on it, and the lending of a grant while the file is idle (P 6.5). Names no type of
 * {@code org.weft.client}, which makes its own of it.
 */
package org.weft.client.file;
