/** The gateway beside programs that others wrote. */
package org.weft.nfs.peer;
