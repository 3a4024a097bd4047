/**
 * Serves the files of a Weft cluster: {@link org.weft.nfs.files.FileService} on the client's files
 * by id. Here alone the gateway knows Weft's client.
 */
package org.weft.nfs.weft;
