/**
 * A volume's life on this manager, from its journal's folder until it is closed (P 6.2). The
 * journal is opened, OSDs are fenced, the tail is laid over what they hold, and the volume is
 * served. {@link org.weft.metadata.serving.VolumeHost} is one volume, and all that the daemon
 * calls. The packages below do the parts. {@code sysmgr} handles what SysMgr says, {@code request}
 * one request, {@code client} connections of clients, and {@code fence} fences of OSDs. {@code
 * care} does what a volume needs beside requests. {@code offline} has a volume that is checked and
 * not served. All of a volume runs on its own thread; other threads hand it tasks and take no lock
 * on its state.
 */
package org.weft.metadata.serving;
