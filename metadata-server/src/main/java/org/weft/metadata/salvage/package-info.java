/**
 * Makes the journal of a volume anew from what OSDs hold, when every disk that it was on is gone (P
 * 6.8e). On the volume's thread, before the volume is served.
 */
package org.weft.metadata.salvage;
