/**
 * NFS version 3 (RFC 1813), program 100003: one class for each procedure, with its arguments, its
 * result and how both are written. What serves the files stands behind {@link
 * org.weft.nfs.files.FileService}.
 */
package org.weft.nfs.v3;
