/** The tour: a real file, a lost OSD, the same bytes. */
package org.weft.cli.demo;
