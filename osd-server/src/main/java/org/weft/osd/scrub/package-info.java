/**
 * Reads everything that an OSD stores again and again, so that a bad block is found while the
 * others that can stand in for it are good.
 */
package org.weft.osd.scrub;
