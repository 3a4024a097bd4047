/**
 * A file service in memory that does what {@link org.weft.nfs.files.FileService} promises: the
 * reference that gateways are compared with.
 */
package org.weft.nfs.model;
