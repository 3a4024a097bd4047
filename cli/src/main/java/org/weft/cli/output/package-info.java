/** How commands show things to people and to programs: sizes, modes, progress, failures, JSON. */
package org.weft.cli.output;
