/** Capabilities: what an OSD obeys, and nothing else (P 5.7; Welch and Gibson, section 4). */
package org.weft.protocol.capability;
