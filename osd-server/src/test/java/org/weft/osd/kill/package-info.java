/**
 * Kill tests: the OSD daemon in a process of its own, under load over the wire, ended by SIGKILL at
 * random points. What was acknowledged must be there afterwards.
 */
package org.weft.osd.kill;
