/**
 * Messages of the Network Lock Manager, version 4, program 100021. They follow "Protocols for
 * Interworking: XNFS", C702, chapter 10, with the 64-bit forms of RFC 1813 appendix II. What locks
 * ranges is {@link org.weft.nfs.locks}.
 */
package org.weft.nfs.nlm;
