/**
 * Messages of the Network Lock Manager, version 4, program 100021: "Protocols for Interworking:
 * XNFS", C702, chapter 10, with the 64-bit forms of RFC 1813 appendix II. They can be read and
 * written here; what locks ranges is not part of this package.
 */
package org.weft.nfs.nlm;
