/**
 * MOUNT version 3, program 100005: RFC 1813 appendix I. Leads a client from a path to the handle of
 * a directory.
 */
package org.weft.nfs.mount;
