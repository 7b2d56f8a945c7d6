/** The views behind the first one, each by the name of its tab, in a script of their own that is loaded behind it. */
export { Chat as chat } from "./chat.tsx";
export { HouseView as house } from "./house-view.tsx";
export { Lists as lists } from "./lists.tsx";
export { Photos as photos } from "./photos.tsx";
export { Story as story } from "./story.tsx";
