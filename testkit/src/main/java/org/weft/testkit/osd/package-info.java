/**
 * An object storage device in memory. It speaks the real messages and checks what the real one
 * checks: capabilities, object versions, tombstones, checksums, write ids.
 *
 * <p>Fault model ({@link org.weft.testkit.osd.Fault}): an OSD refuses, goes silent, restarts or
 * loses objects. It loses its connection before or after it has carried a command out. Its media
 * flip bits, which its own checksums then tell. Under all of these a client must never return a
 * wrong byte. It must return every byte while no stripe has lost more than m units.
 */
package org.weft.testkit.osd;
