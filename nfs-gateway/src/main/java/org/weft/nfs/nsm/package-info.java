/**
 * Messages of the Network Status Monitor, version 1, program 100024: "Protocols for Interworking:
 * XNFS", C702, chapter 11. Hosts use it to tell each other that they have started again, so that
 * locks are given up or reclaimed. The messages can be read and written here; what sends them is
 * not part of this package.
 */
package org.weft.nfs.nsm;
