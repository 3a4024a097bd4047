/** Clients of a cluster that several instances of the file system share. */
package org.weft.hadoop.connect;
