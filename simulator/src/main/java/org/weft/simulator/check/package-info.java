/**
 * Histories of the requests and answers of clients. They decide whether a file system that keeps
 * its promises could have answered so (protocols.md, section 7).
 */
package org.weft.simulator.check;
