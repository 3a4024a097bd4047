/**
 * What becomes of a file whose writer went away without closing it, or lost a component (P 5.5,
 * 5.8, 6.5): its version is raised so that nothing late is heard, what it left pending is decided
 * one way or the other, its length is what its components say, and then its grant ends.
 */
package org.weft.metadata.recovery;
