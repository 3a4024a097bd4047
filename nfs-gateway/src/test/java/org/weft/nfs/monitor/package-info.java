/** Which clients are told when a gateway starts, on virtual time and by datagrams. */
package org.weft.nfs.monitor;
