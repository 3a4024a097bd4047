/**
 * What becomes of a file whose writer went away without closing it (P 5.5, 6.5): its version is
 * raised so that the writer is heard no more, its parity is made to agree with its data again, its
 * length is what its components say, and then its grant ends.
 */
package org.weft.metadata.recovery;
