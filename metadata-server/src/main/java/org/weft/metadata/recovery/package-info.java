/**
 * What becomes of a file whose writer went away without closing it, or lost a component (P 5.5,
 * 5.8, 6.5). Its version is raised so that nothing late is accepted. What it left pending is
 * decided one way or the other. Its length is what its components say. Then its grant ends.
 */
package org.weft.metadata.recovery;
