/**
 * Grants: what a manager gives a client for a file (P 5.7, 6.5, 6.6), and the capabilities in them.
 * Pure; runs on the volume's thread.
 */
package org.weft.metadata.grant;
