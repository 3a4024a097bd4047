/** Documents of the commands: completion for shells, and the page of all commands. */
package org.weft.cli.manual;
