/**
 * An object storage device in memory. It speaks the real messages and checks what the real one
 * checks: capabilities, object versions, tombstones, checksums, write ids.
 *
 * <p>Fault model ({@link org.weft.testkit.osd.Fault}): an OSD refuses, goes silent, loses its
 * connection before or after it has carried a command out, restarts, loses objects, and its media
 * flip bits, which its own checksums then tell. A client must never give out a wrong byte under any
 * of these, and must give out every byte while no stripe has lost more than m units.
 */
package org.weft.testkit.osd;
