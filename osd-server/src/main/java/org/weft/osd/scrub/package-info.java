/**
 * Reads everything that an OSD stores, again and again. So a bad block is found while the blocks
 * that can stand in for it are good.
 */
package org.weft.osd.scrub;
