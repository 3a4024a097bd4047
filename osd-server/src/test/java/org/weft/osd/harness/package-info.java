/** What the tests of the OSD daemon share: a running OSD, a caller, capabilities. */
package org.weft.osd.harness;
