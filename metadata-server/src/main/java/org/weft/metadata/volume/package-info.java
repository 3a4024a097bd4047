/**
 * The file system semantics of one volume: {@link org.weft.metadata.volume.VolumeMachine} decides,
 * one {@link org.weft.metadata.volume.Operation} per kind of request, against cached state; what it
 * decides is a journal record, the reply included (P 6.1; Panasas FAST'08 section 5). Pure and
 * single-threaded: time, random numbers and the cluster's table are handed in, and whoever runs the
 * machine does the IO.
 */
package org.weft.metadata.volume;
